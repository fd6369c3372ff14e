// @modelcontextprotocol/sdk: a web application that connects for each request, and whose `close()` ends no session.
'use strict';

const assert = require('node:assert');
const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { check } = require('./checks.cjs');

const connect = async () => {
  const client = new Client({ name: 'web application', version: '1.0.0' });
  const headers = { Authorization: `Bearer ${process.env.SDK_MCP_TOKEN}` };
  const url = new URL('/mcp', process.env.STEAD_URL);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
};

check('mcp: connect, list and close 40 times with one token', async () => {
  for (let number = 1; number <= 40; number += 1) {
    const client = await connect();
    const { tools } = await client.listTools();
    assert.ok(tools.length > 0, `cycle ${number}`);
    await client.close();
  }
});
