-- Jobs that one process at a time does for all.
CREATE TABLE "job" (
    "name"    TEXT   NOT NULL PRIMARY KEY,
    "version" BIGINT NOT NULL,
    "body"    TEXT   NOT NULL
);
