-- Jobs that one process at a time does for all.
CREATE TABLE "job" (
    "name"    TEXT   NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

-- How the processes that call for an account share its product's quota.
CREATE TABLE "quota_share" (
    "account_id" TEXT   NOT NULL PRIMARY KEY,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "quota_share_by_end" ON "quota_share" ("expires_at");
