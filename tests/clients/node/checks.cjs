// A line per check; the process fails where one did.
'use strict';

// The proxy host: a token says whose account is meant.
const proxyUrl = process.env.STEAD_PROXY_URL;

// The account token of the user at a connection.
const token = (connection, access = 'WRITE') =>
  process.env[`${connection.toUpperCase()}_${access}_TOKEN`];

const checks = [];
const check = (name, run) => checks.push([name, run]);

const end = async () => {
  for (const [name, run] of checks) {
    try {
      const note = await run();
      console.log(`  ok    ${name}${note ? `: ${note}` : ''}`);
    } catch (error) {
      process.exitCode = 1;
      console.log(`  FAIL  ${name}\n${error.stack}`);
    }
  }
};
setImmediate(end);

module.exports = { check, proxyUrl, token };
