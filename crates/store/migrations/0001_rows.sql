-- One table for each kind of row: what it is looked up and removed by, its version, and the whole row as JSON.
-- A store has no rules, so nothing refers to anything. Moments are nanoseconds since 1970-01-01T00:00:00Z.
-- PostgreSQL: give "connection"."name" the collation "C"; names are paged in the order of their bytes.

CREATE TABLE "connection" (
    "id"      TEXT   NOT NULL PRIMARY KEY,
    "name"    TEXT   NOT NULL UNIQUE,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

CREATE TABLE "account" (
    "id"            TEXT   NOT NULL PRIMARY KEY,
    "connection_id" TEXT   NOT NULL,
    "identifier"    TEXT   NOT NULL,
    "version"       BIGINT NOT NULL,
    "body"          TEXT   NOT NULL,
    UNIQUE ("connection_id", "identifier")
);
CREATE INDEX "account_by_connection" ON "account" ("connection_id", "id");

-- "live" is 1 until the credential is shredded.
CREATE TABLE "credential" (
    "account_id" TEXT   NOT NULL,
    "generation" BIGINT NOT NULL,
    "live"       BIGINT NOT NULL,
    "created_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL,
    PRIMARY KEY ("account_id", "generation")
);
CREATE INDEX "credential_by_age" ON "credential" ("live", "created_at");

-- "pending" is 1 until the authorization is completed or ended.
CREATE TABLE "authorization" (
    "id"          TEXT   NOT NULL PRIMARY KEY,
    "account_id"  TEXT   NOT NULL,
    "link"        TEXT   NOT NULL UNIQUE,
    "oauth_state" TEXT   UNIQUE,
    "pending"     BIGINT NOT NULL,
    "expires_at"  BIGINT NOT NULL,
    "version"     BIGINT NOT NULL,
    "body"        TEXT   NOT NULL
);
CREATE INDEX "authorization_by_account" ON "authorization" ("account_id", "id");
CREATE INDEX "authorization_by_end" ON "authorization" ("pending", "expires_at", "id");

CREATE TABLE "app_credential" (
    "client_id" TEXT   NOT NULL PRIMARY KEY,
    "version"   BIGINT NOT NULL,
    "body"      TEXT   NOT NULL
);

CREATE TABLE "access_token" (
    "token"      TEXT   NOT NULL PRIMARY KEY,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "access_token_by_end" ON "access_token" ("expires_at");

CREATE TABLE "data_key" (
    "id"      TEXT   NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

CREATE TABLE "execution" (
    "id"         TEXT   NOT NULL PRIMARY KEY,
    "started_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "execution_by_start" ON "execution" ("started_at");

CREATE TABLE "event" (
    "id"      TEXT   NOT NULL PRIMARY KEY,
    "at"      BIGINT NOT NULL,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);
CREATE INDEX "event_by_time" ON "event" ("at");

CREATE TABLE "outbox" (
    "id"      TEXT   NOT NULL PRIMARY KEY,
    "due_at"  BIGINT NOT NULL,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);
CREATE INDEX "outbox_by_due" ON "outbox" ("due_at", "id");
