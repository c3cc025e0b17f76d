'use strict';
// What the parts of the page's script share: the way to the site's root, elements whose text is
// never markup, data files, and a button to copy each block of code. A page is complete without any
// of it. Nothing here asks another host for anything.
globalThis.assay = globalThis.assay || {};

(() => {
  const root = new URL('.', document.currentScript.src).href;

  // element('a', {href: 'x'}, 'text', child...); attributes that are null or false are left out.
  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === 'function') made.addEventListener(name, value);
      else if (value !== null && value !== undefined && value !== false)
        made.setAttribute(name, value === true ? '' : value);
    }
    made.append(...children.filter((child) => child !== null));  // strings become text
    return made;
  }

  // Data comes as scripts that register it, because a page opened from a folder may not fetch.
  const loads = new Map();  // name -> {promise, resolve}
  function load(name) {
    if (!loads.has(name)) {
      const entry = {};
      entry.promise = new Promise((resolve, reject) => {
        entry.resolve = resolve;
        document.head.append(element('script', { src: `${root}${name}.js`, error: () => {
          loads.delete(name);
          reject(new Error(`${name}.js cannot be loaded`));
        } }));
      });
      loads.set(name, entry);
    }
    return loads.get(name).promise;
  }
  const register = (name, value) => loads.get(name)?.resolve(value);

  let searchIndex = null;
  // {entries, index()}: the dictionary is made when a search needs it.
  async function loadSearch() {
    if (!searchIndex) {
      const written = await load('search-index');
      const entries = assay.searching.readSearchIndex(written);
      let index = null;
      searchIndex ??= { written, entries, index: () => (index ??= new assay.SearchIndex(entries)) };
    }
    return searchIndex;
  }

  async function copyText(pre) {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      return true;
    } catch {  // refused, or no such thing here: select it, so that a key does the rest
      const range = document.createRange();
      range.selectNodeContents(pre);
      const selection = getSelection();
      selection.removeAllRanges();
      selection.addRange(range);
      return document.execCommand('copy');
    }
  }

  function addCopyButton(pre) {
    const button = element('button', { type: 'button', class: 'copy', 'aria-live': 'polite' }, 'Copy');
    button.addEventListener('click', async () => {
      button.textContent = (await copyText(pre)) ? 'Copied' : 'Selected';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    const frame = element('div', { class: 'code' });
    pre.replaceWith(frame);
    frame.append(pre, button);
  }

  Object.assign(assay, { root, element, load, register, loadSearch });
  document.querySelectorAll('main pre').forEach(addCopyButton);
})();
