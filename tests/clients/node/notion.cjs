// @notionhq/client: `baseUrl` names the proxy host.
'use strict';

const assert = require('node:assert');
const { Client, isNotionClientError } = require('@notionhq/client');
const { check, proxyUrl, token } = require('./checks.cjs');

const client = (access) =>
  new Client({ auth: token('workspace', access), baseUrl: proxyUrl, notionVersion: '2022-06-28' });
const notion = client('WRITE');

check('notion: me', async () => (await notion.users.me({})).object);

check('notion: search, page by page', async () => {
  const seen = [];
  let start_cursor;
  do {
    const page = await notion.search({ page_size: 3, start_cursor });
    seen.push(...page.results.map((item) => item.id));
    start_cursor = page.next_cursor ?? undefined;
  } while (start_cursor);
  assert.ok(seen.length > 3 && new Set(seen).size === seen.length);
  return `${seen.length} results`;
});

check('notion: a page, and its content', async () => {
  const { results } = await notion.search({ filter: { property: 'object', value: 'page' } });
  const page = await notion.pages.create({
    parent: { page_id: results[0].id },
    properties: { title: { title: [{ text: { content: 'By an SDK' } }] } },
    children: [{ paragraph: { rich_text: [{ text: { content: 'Hello.' } }] } }],
  });
  const blocks = await notion.blocks.children.list({ block_id: page.id });
  assert.strictEqual(blocks.results.length, 1);
});

check('notion: an error has its code', async () => {
  const call = notion.pages.retrieve({ page_id: '00000000-0000-4000-8000-000000000000' });
  await assert.rejects(call, (error) => isNotionClientError(error) && error.code === 'object_not_found');
});

check('notion: a token that only reads searches, and does not write', async () => {
  const reader = client('READ');
  const { results } = await reader.search({ filter: { property: 'object', value: 'page' } });
  const write = reader.comments.create({ parent: { page_id: results[0].id }, rich_text: [{ text: { content: 'x' } }] });
  await assert.rejects(write, (error) => error.status === 403);
});
