-- One table for each kind of row: what it is looked up and removed by, its version, and the whole row as JSON.
-- A store has no rules, so nothing refers to anything. Moments are nanoseconds since 1970-01-01T00:00:00Z.
--
-- Texts that rows are found by are compared and sorted by their bytes, whatever the database's collation is. Bodies are TEXT: they
-- come back as they were written, which JSONB does not promise, and read all the same: "body"::jsonb ->> 'state'.

CREATE TABLE "connection" (
    "id"      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "name"    TEXT COLLATE "C" NOT NULL UNIQUE,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

CREATE TABLE "account" (
    "id"            TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "connection_id" TEXT COLLATE "C" NOT NULL,
    "identifier"    TEXT COLLATE "C" NOT NULL,
    "state"         TEXT COLLATE "C" NOT NULL,
    "version"       BIGINT NOT NULL,
    "body"          TEXT   NOT NULL,
    UNIQUE ("connection_id", "identifier")
);
CREATE INDEX "account_by_connection" ON "account" ("connection_id", "id");
CREATE INDEX "account_by_state" ON "account" ("state", "id");

-- "live" is 1 until the credential is shredded.
CREATE TABLE "credential" (
    "account_id" TEXT COLLATE "C" NOT NULL,
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
    "id"          TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "account_id"  TEXT COLLATE "C" NOT NULL,
    "link"        TEXT COLLATE "C" NOT NULL UNIQUE,
    "oauth_state" TEXT COLLATE "C" UNIQUE,
    "pending"     BIGINT NOT NULL,
    "expires_at"  BIGINT NOT NULL,
    "version"     BIGINT NOT NULL,
    "body"        TEXT   NOT NULL
);
CREATE INDEX "authorization_by_account" ON "authorization" ("account_id", "id");
CREATE INDEX "authorization_by_end" ON "authorization" ("pending", "expires_at", "id");

CREATE TABLE "app_credential" (
    "client_id" TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "version"   BIGINT NOT NULL,
    "body"      TEXT   NOT NULL
);

CREATE TABLE "access_token" (
    "token"      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "access_token_by_end" ON "access_token" ("expires_at");

CREATE TABLE "data_key" (
    "id"      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

-- Calls as earlier versions kept them, a row each.
CREATE TABLE "execution" (
    "id"         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "started_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "execution_by_start" ON "execution" ("started_at");

-- Calls in a compact form. "lasts" is 1 for changes and errors, "full" is 1 for rows that stay as they are; "until" is when the last
-- call began.
CREATE TABLE "execution_log" (
    "lasts"   BIGINT NOT NULL,
    "full"    BIGINT NOT NULL,
    "until"   BIGINT NOT NULL,
    "id"      TEXT COLLATE "C" NOT NULL,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL,
    PRIMARY KEY ("lasts", "full", "until", "id")
);

-- "step" is the number of seconds that a row counts.
CREATE TABLE "call_total" (
    "step"    BIGINT NOT NULL,
    "start"   BIGINT NOT NULL,
    "process" TEXT COLLATE "C" NOT NULL,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL,
    PRIMARY KEY ("step", "start", "process")
);

-- The bytes of "execution_log", in a few parts so that processes do not wait for each other.
CREATE TABLE "history_size" (
    "part"    BIGINT NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

-- "position" is the place in the order of commits, which is never given again. "lasts" is 1 but for events that go sooner than others.
CREATE TABLE "event" (
    "id"         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "lasts"      BIGINT NOT NULL,
    "at"         BIGINT NOT NULL,
    "account_id" TEXT COLLATE "C",
    "position"   BIGINT NOT NULL UNIQUE,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "event_by_account" ON "event" ("account_id", "position");
CREATE INDEX "event_by_time" ON "event" ("lasts", "at");
CREATE SEQUENCE "event_position" OWNED BY "event"."position";

-- The lock is held until the commit is visible: whoever has read a position never sees a row appear below it.
CREATE FUNCTION "stead_give_position"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(6071503848194105937);
    IF NEW."position" IS NULL THEN
        NEW."position" := nextval('"event_position"');
    ELSE
        PERFORM setval('"event_position"', GREATEST("last_value", NEW."position")) FROM "event_position";
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER "event_position" BEFORE INSERT ON "event" FOR EACH ROW EXECUTE FUNCTION "stead_give_position"();

CREATE TABLE "outbox" (
    "id"      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "due_at"  BIGINT NOT NULL,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);
CREATE INDEX "outbox_by_due" ON "outbox" ("due_at", "id");

-- Secrets of the deployment, sealed.
CREATE TABLE "secret" (
    "name"    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

-- Users who were erased, by their pseudonyms; "due_at" is when the history is gone through next.
CREATE TABLE "erasure" (
    "pseudonym" TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "due_at"    BIGINT NOT NULL,
    "version"   BIGINT NOT NULL,
    "body"      TEXT   NOT NULL
);
CREATE INDEX "erasure_by_due" ON "erasure" ("due_at", "pseudonym");

-- Bearer tokens of one account. "token" is a digest.
CREATE TABLE "account_token" (
    "id"         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "token"      TEXT COLLATE "C" NOT NULL UNIQUE,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "account_token_by_account" ON "account_token" ("account_id", "id");
CREATE INDEX "account_token_by_end" ON "account_token" ("expires_at");

-- The audit log: one row for each change that someone made, numbered without gaps and never deleted.
CREATE TABLE "audit" (
    "number"  BIGINT NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

-- Calls with an idempotency key; "key" is a digest.
CREATE TABLE "idempotency" (
    "key"        TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "account_id" TEXT COLLATE "C" NOT NULL,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "idempotency_by_account" ON "idempotency" ("account_id", "key");
CREATE INDEX "idempotency_by_end" ON "idempotency" ("expires_at");

-- Webhooks: their addresses and sealed secrets; how far the feed was delivered to each; and deliveries that wait or had to.
CREATE TABLE "webhook" (
    "id"      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

CREATE TABLE "webhook_lane" (
    "webhook_id" TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);

-- "waiting" is 1 until the delivery has succeeded or failed for good.
CREATE TABLE "webhook_delivery" (
    "webhook_id" TEXT COLLATE "C" NOT NULL,
    "event_id"   TEXT COLLATE "C" NOT NULL,
    "waiting"    BIGINT NOT NULL,
    "position"   BIGINT NOT NULL,
    "updated_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL,
    PRIMARY KEY ("webhook_id", "event_id")
);
CREATE INDEX "webhook_delivery_in_order" ON "webhook_delivery" ("webhook_id", "waiting", "position");
CREATE INDEX "webhook_delivery_by_age" ON "webhook_delivery" ("waiting", "updated_at");

-- Members of the dashboard and their sessions. "link", and the "id" of a session, are digests.
CREATE TABLE "member" (
    "id"      TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "email"   TEXT COLLATE "C" NOT NULL UNIQUE,
    "link"    TEXT COLLATE "C" UNIQUE,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

CREATE TABLE "session" (
    "id"         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "session_by_end" ON "session" ("expires_at");

-- Sessions of the Model Context Protocol. "token" is a digest.
CREATE TABLE "mcp_session" (
    "id"         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "token"      TEXT COLLATE "C" NOT NULL UNIQUE,
    "identifier" TEXT COLLATE "C" NOT NULL,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "mcp_session_by_identifier" ON "mcp_session" ("identifier", "id");
CREATE INDEX "mcp_session_by_end" ON "mcp_session" ("expires_at");

-- Policies, and the approvals that they ask for. "live" is a digest of the call, while its approval is pending or approved.
CREATE TABLE "policy" (
    "name"    TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

CREATE TABLE "approval" (
    "id"         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "live"       TEXT COLLATE "C" UNIQUE,
    "state"      TEXT COLLATE "C" NOT NULL,
    "identifier" TEXT COLLATE "C" NOT NULL,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "approval_by_state" ON "approval" ("state", "id");
CREATE INDEX "approval_by_identifier" ON "approval" ("identifier", "id");
CREATE INDEX "approval_by_end" ON "approval" ("expires_at");

-- What the database knows of itself.
CREATE TABLE "stead_state" (
    "name"  TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    "value" TEXT NOT NULL
);
INSERT INTO "stead_state" VALUES ('counter', '0');
