-- Secrets of the deployment, sealed.
CREATE TABLE "secret" (
    "name"    TEXT   NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);

-- Users who were erased, by their pseudonyms; "due_at" is when the history is gone through next.
CREATE TABLE "erasure" (
    "pseudonym" TEXT   NOT NULL PRIMARY KEY,
    "due_at"    BIGINT NOT NULL,
    "version"   BIGINT NOT NULL,
    "body"      TEXT   NOT NULL
);
CREATE INDEX "erasure_by_due" ON "erasure" ("due_at", "pseudonym");
