-- The audit log: one row for each change that someone made, numbered without gaps and never deleted.

CREATE TABLE "audit" (
    "number"  BIGINT NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);
