-- Members of the dashboard and their sessions. "link", and the "id" of a session, are digests.
CREATE TABLE "member" (
    "id"      TEXT   NOT NULL PRIMARY KEY,
    "email"   TEXT   NOT NULL UNIQUE,
    "link"    TEXT            UNIQUE,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

CREATE TABLE "session" (
    "id"         TEXT   NOT NULL PRIMARY KEY,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "session_by_end" ON "session" ("expires_at");
