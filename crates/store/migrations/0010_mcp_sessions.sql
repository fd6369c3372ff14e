-- Sessions of the Model Context Protocol. "token" is a digest.
CREATE TABLE "mcp_session" (
    "id"         TEXT   NOT NULL PRIMARY KEY,
    "token"      TEXT   NOT NULL UNIQUE,
    "identifier" TEXT   NOT NULL,
    "expires_at" BIGINT NOT NULL,
    "version"    BIGINT NOT NULL,
    "body"       TEXT   NOT NULL
);
CREATE INDEX "mcp_session_by_identifier" ON "mcp_session" ("identifier", "id");
CREATE INDEX "mcp_session_by_end" ON "mcp_session" ("expires_at");
