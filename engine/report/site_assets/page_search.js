'use strict';
// The search in the page's header: a combobox after the ARIA pattern. `/` goes to it, arrows choose,
// Enter opens, Esc closes and then clears. The index is loaded when it first gets the focus.
(() => {
  const place = document.getElementById('search');
  if (!place) return;
  const { element, searching } = assay;
  const kKinds = { error: 'Error', rule: 'Rule', argument: 'Argument', contract: 'Kernel contract',
    cause: 'Cause', tag: 'Tag', file: 'Source file', support: 'Support matrix' };

  const list = element('ul', { role: 'listbox', id: 'search-results', 'aria-label': 'Found pages',
    hidden: true });
  const status = element('p', { role: 'status', class: 'unseen' });
  const input = element('input', { type: 'search', role: 'combobox', id: 'search-input',
    'aria-label': 'Search errors, rules and arguments', 'aria-autocomplete': 'list',
    'aria-expanded': 'false', 'aria-controls': 'search-results', autocomplete: 'off',
    autocapitalize: 'off', spellcheck: 'false', maxlength: 1000,
    placeholder: 'Search a message, a flag, a word' });
  const key = element('kbd', { 'aria-hidden': 'true' }, '/');
  place.append(input, key, list, status);
  place.setAttribute('role', 'search');
  place.hidden = false;

  let index = null;
  let options = [];
  let active = -1;

  async function loadIndex() {
    if (index) return index;
    try {
      const loaded = await assay.loadSearch();
      index = loaded.index();
      index.search('a slpi of the keys');  // so that its code is compiled before the first key
    } catch (fault) {
      show([], fault.message);
    }
    return index;
  }

  // The text with what was asked for marked; pieces of text only.
  function marked(text, words) {
    const lower = text.toLowerCase();
    const parts = [];
    let at = 0;
    while (at < text.length) {
      let next = null;
      for (const word of words) {
        const found = lower.indexOf(word, at);
        if (found >= 0 && (!next || found < next.at || (found === next.at && word.length > next.length)))
          next = { at: found, length: word.length };
      }
      if (!next || lower.length !== text.length) break;
      if (next.at > at) parts.push(text.slice(at, next.at));
      parts.push(element('mark', {}, text.slice(next.at, next.at + next.length)));
      at = next.at + next.length;
    }
    parts.push(text.slice(at));
    return parts;
  }

  const addressOf = (entry) => `${assay.root}${entry.path}.html`;

  function open(entry, event) {
    if (event && (event.ctrlKey || event.metaKey)) window.open(addressOf(entry), '_blank', 'noopener');
    else location.assign(addressOf(entry));
  }

  function option(entry, i, words) {
    return element('li', { role: 'option', id: `search-result-${i}`, 'aria-selected': 'false',
      mousedown: (event) => event.preventDefault(), click: (event) => open(entry, event) },
      element('span', { class: 'kind' }, kKinds[entry.kind] || entry.kind),
      element('span', { class: 'title' }, ...marked(entry.title, words)),
      element('small', {}, ...marked(entry.detail, words)));
  }

  function select(next) {
    const items = list.children;
    if (active >= 0 && items[active]) items[active].setAttribute('aria-selected', 'false');
    active = next;
    if (active < 0) {
      input.removeAttribute('aria-activedescendant');
      return;
    }
    items[active].setAttribute('aria-selected', 'true');
    items[active].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', items[active].id);
  }

  function show(found, message) {
    options = found.map((one) => one.entry);
    const words = searching.wordsOf(input.value).filter((word) => word.length > 1);
    list.replaceChildren(...options.map((entry, i) => option(entry, i, words)));
    if (options.length === 0 && message)
      list.append(element('li', { class: 'nothing', role: 'option', 'aria-disabled': 'true',
        id: 'search-result-0' }, message));
    list.hidden = list.children.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    status.textContent = message || (options.length === 1 ? '1 result' : `${options.length} results`);
    select(-1);
  }

  async function update() {
    const query = input.value;
    if (query.trim() === '') return show([], '');
    if (!(await loadIndex()) || query !== input.value) return;
    const found = index.search(query);
    show(found, found.length === 0 ? 'Nothing found' : '');
  }

  function close() {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    select(-1);
  }

  const count = () => options.length;
  const keys = {
    ArrowDown: () => (list.hidden ? update() : count() && select((active + 1) % count())),
    ArrowUp: () => !list.hidden && count() && select((active <= 0 ? count() : active) - 1),
    Home: () => active >= 0 && select(0),
    End: () => active >= 0 && select(count() - 1),
    Enter: (event) => !list.hidden && count() && open(options[Math.max(active, 0)], event),
    Escape: () => {
      if (!list.hidden) close();
      else if (input.value !== '') input.value = '';
      else input.blur();
    },
  };
  input.addEventListener('keydown', (event) => {
    const act = keys[event.key];
    if (!act || event.isComposing) return;
    const isMove = event.key === 'Home' || event.key === 'End';
    if (isMove && active < 0) return;
    event.preventDefault();
    act(event);
  });
  input.addEventListener('input', update);
  input.addEventListener('focus', () => { loadIndex().then(() => input.value.trim() && update()); });
  input.addEventListener('blur', close);

  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]');
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
})();
