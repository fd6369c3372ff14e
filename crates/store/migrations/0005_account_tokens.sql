-- Bearer tokens of one account. "token" is a digest.
CREATE TABLE "account_token" (
    "id"         TEXT   NOT NULL PRIMARY KEY,
    "token"      TEXT   NOT NULL UNIQUE,
    "account_id" TEXT   NOT NULL,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "account_token_by_account" ON "account_token" ("account_id", "id");
CREATE INDEX "account_token_by_end" ON "account_token" ("expires_at");
