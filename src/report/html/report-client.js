// Copies commands and filters the requirements. Without this script the page shows everything.
const status = document.querySelector('[role="status"]');

for (const command of document.querySelectorAll('.command')) {
  const label = command.querySelector('p');
  const button = document.createElement('button');
  button.textContent = 'Copy';
  button.ariaLabel = `Copy: ${label.textContent}`;
  button.addEventListener('click', () => copy(command.querySelector('code')));
  label.append(' ', button);
}

async function copy(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    say('Copied');
  } catch {
    getSelection().selectAllChildren(code);
    say('Selected: copy it with the keyboard');
  }
}

function say(text) {
  status.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => {
    status.textContent = '';
  }, 4000);
}

// The filter is in the address, so that a link reproduces it: #show=failed,warning&text=status
const filters = document.querySelector('[data-filters]');
const areas = [...document.querySelectorAll('[data-area]')].map((area) => ({ area, isOpen: area.open }));
const chips = document.querySelectorAll('[data-show]');
if (filters) {
  filters.hidden = false;
  filters.addEventListener('input', () => {
    filter();
    location.replace(here());
  });
  filters.addEventListener('submit', (event) => event.preventDefault());
  filter();
}

function kinds() {
  return [...filters.querySelectorAll('[name="kind"]')];
}

/** Empty if all are shown. */
function chosen() {
  const checked = kinds().filter((kind) => kind.checked);
  return checked.length === kinds().length ? '' : checked.map(({ value }) => value).join() || 'none';
}

function address(show, text) {
  const parts = new URLSearchParams({ show: show || 'all', ...(text && { text }) });
  return `#${parts.toString().replaceAll('%2C', ',')}`;
}

/** The address of what is shown now. */
function here() {
  return address(chosen(), filters.elements.text.value);
}

function filter() {
  const shownKinds = new Set(new FormData(filters).getAll('kind'));
  const words = filters.elements.text.value.toLowerCase().split(/\s+/);
  const isFiltered = chosen() !== '' || words.join('') !== '';
  let shown = 0;
  for (const { area, isOpen } of areas) {
    let inArea = 0;
    for (const row of area.querySelectorAll('tbody tr')) {
      const text = row.textContent.toLowerCase();
      row.hidden = !shownKinds.has(row.className) || !words.every((word) => text.includes(word));
      if (!row.hidden) inArea += 1;
    }
    area.hidden = inArea === 0;
    area.open = isFiltered || isOpen;
    shown += inArea;
  }
  filters.querySelector('[data-count]').textContent = `${shown} shown`;
  for (const chip of chips) {
    const isChosen = chosen() === chip.dataset.show;
    chip.href = address(isChosen ? '' : chip.dataset.show, '');
    chip.ariaCurrent = isChosen ? 'true' : null;
  }
}

function filterByAddress() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  if (!filters || !wanted.has('show') || location.hash === here()) return;
  const show = wanted.get('show');
  for (const kind of kinds()) kind.checked = show === 'all' || show.split(',').includes(kind.value);
  filters.elements.text.value = wanted.get('text') ?? '';
  filter();
  document.getElementById('requirements').scrollIntoView();
}

// A link to something folded unfolds it; in print all causes are unfolded.
addEventListener('hashchange', follow);
follow();
function follow() {
  filterByAddress();
  const target = document.getElementById(location.hash.slice(1));
  for (let part = target; part; part = part.parentElement) {
    if (part.tagName === 'DETAILS') part.open = true;
  }
  target?.scrollIntoView();
}
// The exchange behind a passed requirement unfolds in its place. Without this script the link leads to it.
for (const link of document.querySelectorAll('.rows a[href^="#x-"]')) {
  link.ariaExpanded = 'false';
  link.addEventListener('click', (event) => {
    event.preventDefault();
    const isOpen = link.ariaExpanded === 'true';
    if (isOpen) link.nextElementSibling.remove();
    else {
      const copy = document.querySelector(link.hash).parentElement.cloneNode(true);
      copy.open = true;
      copy.querySelector('pre').removeAttribute('id');
      link.after(copy);
    }
    link.ariaExpanded = String(!isOpen);
  });
}

addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('.broken, .others, .area')) details.open = true;
});
