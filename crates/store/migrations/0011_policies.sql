-- Policies, and the approvals that they ask for. "live" is a digest of the call, while its approval is pending or approved.
CREATE TABLE "policy" (
    "name"    TEXT   NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

CREATE TABLE "approval" (
    "id"         TEXT   NOT NULL PRIMARY KEY,
    "live"       TEXT            UNIQUE,
    "state"      TEXT   NOT NULL,
    "identifier" TEXT   NOT NULL,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "approval_by_state" ON "approval" ("state", "id");
CREATE INDEX "approval_by_identifier" ON "approval" ("identifier", "id");
CREATE INDEX "approval_by_end" ON "approval" ("expires_at");
