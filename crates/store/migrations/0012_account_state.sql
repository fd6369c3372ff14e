-- Accounts are found by their state. A body that is not JSON is reported where it is read, not here.
ALTER TABLE "account" ADD COLUMN "state" TEXT NOT NULL DEFAULT '';
UPDATE "account" SET "state" = COALESCE(json_extract("body", '$.state'), '') WHERE json_valid("body");
CREATE INDEX "account_by_state" ON "account" ("state", "id");
