// @hey-api/openapi-ts: generates a client from /openapi.json without a warning, and runs the whole journey with it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';

const require = createRequire(import.meta.url);
const baseUrl = process.env.STEAD_URL;
const identifier = 'user of generated.mjs';

// Node finds packages by NODE_PATH. `import` doesn't use it, so the compiled files are next to the packages.
const packages = resolve(process.env.NODE_PATH);
const folder = mkdtempSync(join(packages, '..', 'generated-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

const generate = async () => {
  const document = join(folder, 'openapi.json');
  const response = await fetch(`${baseUrl}/openapi.json`);
  writeFileSync(document, await response.text());
  const run = (script, ...args) =>
    execFileSync(process.execPath, [join(packages, script), ...args], { encoding: 'utf8', stdio: 'pipe' });
  const said = run('@hey-api/openapi-ts/bin/run.js', '--input', document, '--output', join(folder, 'src'));
  assert.doesNotMatch(said, /warn/i);
  run('typescript/bin/tsc', '--outDir', join(folder, 'js'), '--module', 'commonjs', '--target', 'es2022',
    '--lib', 'es2022,dom,dom.iterable', '--skipLibCheck', join(folder, 'src/index.ts'), join(folder, 'src/client.gen.ts'));
  return { ...require(join(folder, 'js/index.js')), ...require(join(folder, 'js/client.gen.js')) };
};

// The user opens the link, chooses the first account, and allows everything.
const consent = async (link) => {
  const jar = new Map();
  const open = async (url, init = {}) => {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ');
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [name, ...value] = set.split(';')[0].split('=');
      jar.set(name, value.join('='));
    }
    const to = response.headers.get('location');
    return to ? open(new URL(to, url)) : { url, text: await response.text() };
  };
  const named = { amp: '&', quot: '"', lt: '<', gt: '>' };
  const character = (_, code, name) => (code ? String.fromCodePoint(Number(code.replace('x', '0x'))) : named[name]);
  const plain = (text) => text.replaceAll(/&(?:#(x?[0-9a-f]+)|([a-z]+));/gi, character);
  const { url, text } = await open(link, { method: 'POST' });
  const value = (name) => plain(text.match(new RegExp(`name="${name}" value="([^"]+)"`))[1]);
  const form = new URLSearchParams({ request: value('request'), user: value('user'), action: 'allow' });
  for (const [, scope] of text.matchAll(/name="scope" value="([^"]+)"/g)) form.append('scope', plain(scope));
  await open(new URL(plain(text.match(/<form[^>]* action="([^"]+)"/)[1]), url), { method: 'POST', body: form });
};

const api = await generate();
const { APPLICATION_ID: client_id, APPLICATION_SECRET: client_secret } = process.env;
api.client.setConfig({ baseUrl });
const form = { grant_type: 'client_credentials', client_id, client_secret };
const token = (await api.oauthIssue({ body: form, throwOnError: true })).data.access_token;
api.client.setConfig({ auth: () => token });
const link = await api.authorizationLinksCreate({ body: { connection_name: 'mail', identifier }, throwOnError: true });
await consent(link.data.link);
const path = { connection_name: 'mail', identifier };
assert.equal((await api.accountsRead({ path, throwOnError: true })).data.state, 'active');
const call = { ...path, input: {}, view: 'readable' };
await api.toolsExecute({ path: { name: 'mail_fetch_mails' }, body: call, throwOnError: true });
const raw = { ...path, method: 'GET', path: '/gmail/v1/users/me/profile' };
assert.ok((await api.proxyJson({ body: raw, parseAs: 'json', throwOnError: true })).data.emailAddress);
const missing = await api.accountsRead({ path: { ...path, identifier: 'nobody' } });
assert.equal(missing.error.kind, 'account_not_found');
const page = (await api.accountsList({ query: { page_size: 1 }, throwOnError: true })).data;
assert.ok(page.items.length === 1 && page.next_page_token);
await api.toolsList({ query: { product: ['mail', 'drive'] }, throwOnError: true });
console.log('  ok    a client is generated without a warning, and goes the whole way');
