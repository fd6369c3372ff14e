// A line per check; the process fails where one did.
'use strict';

const { STEAD_URL, STEAD_TOKEN, STEAD_IDENTIFIER } = process.env;

// The address below which the product's own API begins.
const baseUrl = (connection) =>
  `${STEAD_URL}/proxy/${connection}/${encodeURIComponent(STEAD_IDENTIFIER)}`;

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

module.exports = { baseUrl, check, token: STEAD_TOKEN };
