'use strict';
// The site in a real browser, opened from a folder: search, filters, pasted lines and logs, copying,
// no script, accessibility, and that nothing is asked of anybody. Skipped where there is no Chromium.
const assert = require('node:assert');
const { spawn, spawnSync } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { Browser, findChromium } = require('./chromium.js');
const { root, readRecords } = require('./site_script.js');
const { findAccessibilityFaults } = require('./accessibility.js');

const program = process.argv[3];
const chromium = findChromium();
if (!chromium) {
  console.log('skipped: there is no chromium');
  process.exit(77);
}

// In memory where there is room: the site has many thousand files.
function scratchFolder() {
  try {
    const { bavail, bsize } = fs.statfsSync('/dev/shm');
    if (bavail * bsize > 1 << 30) return '/dev/shm';
  } catch {
    // not on this system
  }
  return os.tmpdir();
}

const folder = fs.mkdtempSync(path.join(scratchFolder(), 'assay-pages-'));
const kHostile = '<script>window.hacked = 1</script><img src=x onerror="window.hacked = 1"> "q" \' & {{7*7}} ${x} `t` ' +
  '\u0001\u001b[31m \u202e ]]> --> javascript:alert(1)';

// Of the shipped knowledge, unless another is named.
function writeSite(name, knowledge = null) {
  const site = path.join(folder, name);
  const named = knowledge === null ? [] : ['--knowledge', knowledge];
  const done = spawnSync(program, ['docs', ...named, '--out', site], { encoding: 'utf8' });
  assert.strictEqual(done.status, 0, done.stderr);
  return site;
}

// A small engine's knowledge with a record all of whose texts are hostile.
function hostileKnowledge() {
  const knowledge = path.join(folder, 'knowledge');
  fs.cpSync(path.join(root, 'tests/cli/knowledge'), knowledge, { recursive: true });
  const model = readRecords().find((record) => record.examples && record.examples.length > 0);
  const hostile = {};
  for (const [key, value] of Object.entries(model))
    hostile[key] = typeof value === 'string' || value === null ? kHostile : Array.isArray(value) ? [kHostile] : value;
  delete hostile.project;
  const quoted = kHostile.replace(/[^\w]/gu, (c) => (c < '\x80' ? `\\x{${c.charCodeAt(0).toString(16)}}` : '.+'));
  const fixed = { id: '00000000000000ff', repo: 'toy/toy', slug: 'hostile', messagePattern: quoted, severity: 'error', errorType: 'other',
    handlingStrategy: 'validation', githubUrl: 'https://example.org/x', httpStatus: null, lineNumber: 3, sourceCodeStart: null,
    sourceCodeEnd: null, analyzedAt: model.analyzedAt, schemaVersion: 3, examples: [{ message: kHostile, source: kHostile }],
    nearMisses: ['x'], analyzedSha: model.analyzedSha };
  for (const key of ['status', 'replacedBy', 'seeAlso', 'isWrapper', 'context']) delete hostile[key];
  fs.writeFileSync(path.join(knowledge, 'dataset/toy/hostile.json'), JSON.stringify({ ...hostile, ...fixed }));
  return knowledge;
}

const site = writeSite('site');
const hostileSite = writeSite('hostile', hostileKnowledge());
const addressOf = (file, from = site) => `file://${path.join(from, file)}`;
const kError = 'errors/sglang/tokenspeed-mla-backend-requires-kv-cache-dtype-fp8.html';
const kLine = 'ValueError: tokenspeed_mla backend requires kv-cache-dtype=fp8_e4m3, got bf16.';

// One page of each kind, by the class of its body.
function pagesOfEachKind() {
  const kinds = new Map();
  for (const file of fs.readdirSync(site, { recursive: true }).sort()) {
    if (!file.endsWith('.html')) continue;
    const kind = /<body class="([^"]*)"/.exec(fs.readFileSync(path.join(site, file), 'utf8'))?.[1];
    if (kind && kind !== 'page-moved' && !kinds.has(kind)) kinds.set(kind, file);
  }
  return [...kinds.values(), kError];
}

let browser = null;
let page = null;
test.before(async () => {
  browser = new Browser(chromium);
  page = await browser.newPage();
});
test.after(async () => {
  await browser.close();
  fs.rmSync(folder, { recursive: true, force: true });
});

async function open(file, { from = site, ...media } = {}) {
  await page.setMedia(media);
  await page.open('about:blank');
  await page.open(addressOf(file, from));
}

const kOptions = '[...document.querySelectorAll("#search-results [role=option]")]';

test('`/` goes to the search, typing finds, arrows choose and Enter opens', async () => {
  await open('index.html');
  assert.ok(!page.requests.some((url) => url.includes('search-index')), 'the index is not loaded before it is needed');
  await page.press('/', 'Slash', '/');
  assert.strictEqual(await page.evaluate('document.activeElement.id'), 'search-input');
  await page.type('tokenspeed requires kv cahce');
  await page.until(`${kOptions}.length > 1`);
  assert.match(await page.evaluate(`${kOptions}[0].textContent`), /tokenspeed_mla backend requires/);
  assert.strictEqual(await page.evaluate('document.activeElement.getAttribute("aria-expanded")'), 'true');
  await page.press('ArrowDown');
  await page.press('ArrowDown');
  await page.press('ArrowUp');
  assert.strictEqual(await page.evaluate('document.activeElement.getAttribute("aria-activedescendant")'), 'search-result-0');
  assert.strictEqual(await page.evaluate(`${kOptions}[0].getAttribute("aria-selected")`), 'true');
  await page.press('Enter');
  await page.until('document.body.className === "page-error"');
});

test('Esc closes the results, then clears the search, then leaves it', async () => {
  await open('index.html');
  await page.evaluate('document.getElementById("search-input").focus()');
  await page.type('memory');
  await page.until(`${kOptions}.length > 1`);
  await page.press('Escape');
  assert.deepStrictEqual(await page.evaluate('[document.getElementById("search-results").hidden, document.activeElement.value]'), [true, 'memory']);
  await page.press('Escape');
  assert.strictEqual(await page.evaluate('document.activeElement.value'), '');
  await page.press('Escape');
  assert.notStrictEqual(await page.evaluate('document.activeElement.id'), 'search-input');
});

const kShown = '[...document.querySelectorAll("main article li:not(.actions li)")].filter((item) => item.offsetParent).length';
const kCounted = 'parseInt(document.querySelector(".filters [role=status]").textContent)';

test('filters narrow a list and keep themselves in the address', async () => {
  await open('errors/index.html');
  await page.until('document.querySelector("form.filters")');
  const listed = await page.evaluate(kShown);
  const all = await page.evaluate(kCounted);
  assert.ok(all >= readRecords().length);
  await page.evaluate(`(() => { const s = document.getElementById('filter-severity'); s.value = 'warning';
    s.dispatchEvent(new Event('change')); })()`);
  assert.strictEqual(await page.evaluate('location.search'), '?severity=warning');
  const warnings = await page.evaluate(kShown);
  assert.ok(warnings > 0 && warnings < all, `${warnings} of ${all}`);
  assert.strictEqual(await page.evaluate(kCounted), warnings);
  await page.open('about:blank');
  await page.open(`${addressOf('errors/index.html')}?severity=warning&words=memory`);
  await page.until('document.querySelector("form.filters")');
  const both = await page.evaluate(kShown);
  assert.ok(both > 0 && both < warnings, `${both} of ${warnings}`);
  await page.evaluate('document.querySelector(".filters button").click()');
  assert.deepStrictEqual(await page.evaluate(`[location.search, ${kShown}]`), ['', listed]);
});

test('a pasted line shows its captures on the page of its error', async () => {
  await open(kError);
  await page.evaluate('document.getElementById("pasted-line").focus()');
  await page.type(`[2026-01-02 03:04:05 TP0] ${kLine}`);
  await page.until('document.querySelector("#pasted-line-result dd")');
  assert.strictEqual(await page.evaluate('document.querySelector("#pasted-line-result dd").textContent'), 'bf16');
  await page.evaluate('document.getElementById("pasted-line").select()');
  await page.type('something else');
  await page.until('document.querySelector("#pasted-line-result a")');
});

test('a pasted log leads to the pages of its errors, with the line taken along', async () => {
  await open('explain/index.html');
  await page.evaluate('document.getElementById("pasted-log").focus()');
  await page.type(`INFO 01-02 03:04:05 [a.py:1] starting\n\u001b[31m${kLine}\u001b[0m\n${kLine}\n${kHostile}\n`);
  await page.until('document.querySelector(".hits li")');
  assert.deepStrictEqual(await page.evaluate(`[document.querySelectorAll('.hits > li').length,
    document.querySelector('.hits dd').textContent, document.querySelector('.hits .eyebrow').textContent]`),
  [1, 'bf16', 'error line 2, and 1 more line']);
  await page.evaluate('document.querySelector(".hits a").click()');
  await page.until('document.querySelector("#pasted-line-result dd")?.textContent === "bf16"');
});

test('a pasted log says which error is the root cause, or that it is not there', async () => {
  const wrapper = readRecords().find((record) => record.wrapper && record.solutions.length > 0 &&
    record.examples?.length > 0 && !record.examples[0].message.includes('\n'));
  await open('explain/index.html');
  const paste = async (text) => {
    await page.evaluate('document.getElementById("pasted-log").select()');
    await page.evaluate('document.getElementById("pasted-log").focus()');
    await page.type(text);
  };
  await paste(`${wrapper.examples[0].message}\n`);
  await page.until('document.querySelector(".verdict.absent")');
  assert.match(await page.evaluate('document.querySelector(".verdict").textContent'), /root cause is not in this text/);
  await paste(`${wrapper.examples[0].message}\n${kLine}\n`);
  await page.until('document.querySelector(".verdict.cause")');
  assert.match(await page.evaluate('document.querySelector(".verdict a").href'), /tokenspeed-mla-backend/);
  assert.match(await page.evaluate('document.querySelector(".hits li a").href'), /tokenspeed-mla-backend/);
  assert.deepStrictEqual(await page.evaluate(`(${findAccessibilityFaults})()`), []);
  await paste('INFO nothing\n');
  await page.until('!document.querySelector(".verdict")');
});

test('a long name stays in its cell', async () => {
  await open('arguments/index.html');
  const overflow = `(() => {
    const head = document.querySelector('tbody th');
    (head.querySelector('code a') || head.querySelector('code')).textContent = '_speculative_draft_quantization_explicitly_set';
    return head.scrollWidth - head.clientWidth;
  })()`;
  assert.equal(await page.evaluate(overflow), 0);
});

test('a severity is a badge, not a box', async () => {
  await open(kError);
  for (const severity of ['error', 'warning', 'note']) {
    const border = `(() => {
      const badge = document.createElement('span');
      badge.className = 'severity ${severity}';
      document.querySelector('h1').before(badge);
      return getComputedStyle(badge).borderLeftWidth;
    })()`;
    assert.equal(await page.evaluate(border), '0px', severity);
  }
});

test('code is copied', async () => {
  await open(kError);
  await page.browser.send('Browser.grantPermissions', { permissions: ['clipboardReadWrite', 'clipboardSanitizedWrite'] }).catch(() => {});
  await page.evaluate('document.querySelector(".copy").click()');
  await page.until('document.querySelector(".copy").textContent === "Copied"');
});

test('hostile knowledge and pasted text stay text', async () => {
  await open('errors/toy/hostile.html', { from: hostileSite });
  assert.match(await page.evaluate('document.querySelector("h1").textContent'), /<script>window\.hacked/);
  await page.evaluate('document.getElementById("pasted-line").focus()');
  await page.type(kHostile);
  await page.evaluate('document.getElementById("search-input").focus()');
  await page.type('script window hacked');
  await page.until(`${kOptions}.length > 0`);
  assert.match(await page.evaluate(`${kOptions}[0].textContent`), /<script>/);
  for (const file of ['errors/index.html', 'explain/index.html', 'index.html']) {
    await open(file, { from: hostileSite });
    await new Promise((resolve) => { setTimeout(resolve, 300); });
  }
  assert.strictEqual(await page.evaluate('window.hacked'), undefined);
  assert.strictEqual(await page.evaluate('document.querySelectorAll("main img, main script").length'), 0);
});

test('without scripts everything is listed and no empty tool is shown', async () => {
  const count = readRecords().filter((record) => record.repo === 'sgl-project/sglang').length;
  await open('errors/sglang/index.html', { scripts: false });
  const shown = await page.send('Runtime.evaluate', { expression: kShown, returnByValue: true });
  assert.ok(shown.result.value >= count, `${shown.result.value} of ${count}`);
  await open('explain/index.html', { scripts: false });
  const tools = await page.send('Runtime.evaluate', { returnByValue: true,
    expression: '[...document.querySelectorAll("input, textarea, button, #search")].filter((e) => e.offsetParent).length' });
  assert.strictEqual(tools.result.value, 0);
  await page.setMedia({});
});

test('every kind of page is accessible in both themes and fits a phone', async () => {
  for (const file of pagesOfEachKind()) {
    await open(file);
    if (/index\.html$/.test(file)) await new Promise((resolve) => { setTimeout(resolve, 200); });
    for (const media of [{ dark: false }, { dark: true }, { width: 390, height: 844 }]) {
      await page.setMedia(media);
      const faults = await page.evaluate(`(${findAccessibilityFaults})()`);
      assert.deepStrictEqual(faults, [], `${file} ${JSON.stringify(media)}`);
      assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${file} is wider than the screen`);
    }
  }
});

test('served, the site does the same and asks its server alone', async () => {
  const server = spawn(program, ['serve', '--port', '0', '--access-log', 'none'], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const said = await new Promise((resolve) => { server.stderr.once('data', (text) => resolve(String(text))); });
    const [, address] = /listening on (http:\S+)/.exec(said);
    const served = await browser.newPage();
    await served.open(`${address}explain/`);
    await served.evaluate('document.getElementById("pasted-log").focus()');
    await served.type(`${kLine}\n`);
    await served.until('document.querySelector(".verdict.cause")');
    await served.evaluate('document.getElementById("search-input").focus()');
    await served.type('tokenspeed requires kv cahce');
    await served.until(`${kOptions}.length > 1`);
    await served.press('ArrowDown');
    await served.press('Enter');
    await served.until('document.body.className === "page-error"');
    assert.deepStrictEqual(served.complaints, []);
    assert.deepStrictEqual(served.requests.filter((url) => !url.startsWith(address) && !/^(?:data|about):/.test(url)), []);
  } finally {
    server.kill();
    await new Promise((resolve) => { server.exitCode === null ? server.on('exit', resolve) : resolve(); });
  }
});

test('no page complained, or asked anybody for anything', () => {
  assert.deepStrictEqual(page.complaints, []);
  assert.deepStrictEqual(page.requests.filter((url) => !/^(?:file:|data:|about:)/.test(url)), []);
});

test('every link inside the site leads to a file', () => {
  const missing = new Set();
  const known = new Map();
  for (const file of fs.readdirSync(site, { recursive: true })) {
    if (!file.endsWith('.html')) continue;
    for (const [, target] of fs.readFileSync(path.join(site, file), 'utf8').matchAll(/(?:href|src)="([^"#?]+)/g)) {
      if (/^(?:https?|data):/.test(target)) continue;
      const full = path.join(path.dirname(file), target);
      if (!known.has(full)) known.set(full, fs.existsSync(path.join(site, full)));
      if (!known.get(full)) missing.add(`${file}: ${target}`);
    }
  }
  assert.deepStrictEqual([...missing].slice(0, 10), []);
});
