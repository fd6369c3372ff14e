-- Calls with an idempotency key; "key" is a digest.
CREATE TABLE "idempotency" (
    "key"        TEXT   NOT NULL PRIMARY KEY,
    "account_id" TEXT   NOT NULL,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "idempotency_by_account" ON "idempotency" ("account_id", "key");
CREATE INDEX "idempotency_by_end" ON "idempotency" ("expires_at");
