'use strict';
// A page in a headless Chromium, driven through its debugging pipe: open, type, press, evaluate, and
// what it complained about and asked the network for.
const { spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

const kNames = ['chromium', 'chromium-browser', 'google-chrome'];

function findChromium() {
  const folders = (process.env.PATH || '').split(':');
  for (const name of kNames)
    for (const folder of folders)
      if (fs.existsSync(path.join(folder, name))) return path.join(folder, name);
  return null;
}

class Browser {
  constructor(program) {
    this.profile = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-chromium-'));
    this.child = spawn(program, ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
      '--disable-background-networking', '--remote-debugging-pipe', `--user-data-dir=${this.profile}`],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] });
    this.waiting = new Map();
    this.listeners = [];
    this.last = 0;
    let text = '';
    this.child.stdio[4].setEncoding('utf8').on('data', (part) => {
      text += part;
      for (let end = text.indexOf('\0'); end >= 0; end = text.indexOf('\0')) {
        this.take(JSON.parse(text.slice(0, end)));
        text = text.slice(end + 1);
      }
    });
    this.child.on('exit', () => {
      for (const { reject } of this.waiting.values()) reject(new Error('Chromium ended'));
    });
  }

  take(message) {
    if (message.id === undefined) {
      for (const listener of this.listeners) listener(message);
      return;
    }
    const { resolve, reject } = this.waiting.get(message.id);
    this.waiting.delete(message.id);
    if (message.error) reject(new Error(message.error.message));
    else resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.last;
    this.child.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => { this.waiting.set(id, { resolve, reject }); });
  }

  async newPage() {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new Page(this, sessionId);
    for (const domain of ['Page', 'Runtime', 'Network', 'Log']) await page.send(`${domain}.enable`);
    return page;
  }

  async close() {
    await this.send('Browser.close').catch(() => {});
    await new Promise((resolve) => { this.child.exitCode === null ? this.child.on('exit', resolve) : resolve(); });
    fs.rmSync(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

class Page {
  constructor(browser, sessionId) {
    this.browser = browser;
    this.sessionId = sessionId;
    this.complaints = [];
    this.requests = [];
    browser.listeners.push(({ method, params, sessionId: session }) => {
      if (session !== sessionId) return;
      if (method === 'Runtime.exceptionThrown') this.complaints.push(params.exceptionDetails.exception?.description);
      if (method === 'Log.entryAdded' && params.entry.level === 'error') this.complaints.push(params.entry.text);
      if (method === 'Network.requestWillBeSent') this.requests.push(params.request.url);
      if (method === 'Page.loadEventFired') this.loaded?.();
    });
  }

  send(method, params) { return this.browser.send(method, params, this.sessionId); }

  async open(address) {
    const loaded = new Promise((resolve) => { this.loaded = resolve; });
    const { errorText, loaderId } = await this.send('Page.navigate', { url: address });
    if (errorText) throw new Error(`${address}: ${errorText}`);
    if (loaderId) await loaded;  // else it is the same page, at another place
  }

  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true, userGesture: true });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description || exceptionDetails.text);
    return result.value;
  }

  // Until the expression is true.
  async until(expression) {
    for (let tries = 0; tries < 400; ++tries) {
      if (await this.evaluate(`Boolean(${expression})`).catch(() => false)) return;
      await new Promise((resolve) => { setTimeout(resolve, 25); });
    }
    throw new Error(`it did not become true: ${expression}`);
  }

  type(text) { return this.send('Input.insertText', { text }); }

  async press(key, code = key, text = undefined) {
    const codes = { Enter: 13, Escape: 27, ArrowDown: 40, ArrowUp: 38, Tab: 9, '/': 191 };
    const common = { key, code, windowsVirtualKeyCode: codes[key] || 0 };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', text, ...common });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...common });
  }

  async setMedia({ width = 1100, height = 900, dark = false, scripts = true }) {
    await this.send('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }] });
    await this.send('Emulation.setScriptExecutionDisabled', { value: !scripts });
  }

  async screenshot(file) {
    const { data } = await this.send('Page.captureScreenshot', { format: 'png' });
    fs.writeFileSync(file, Buffer.from(data, 'base64'));
  }
}

module.exports = { Browser, findChromium };
