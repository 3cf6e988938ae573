// Copies commands and filters the requirements. Without this script the page shows everything.
const status = document.querySelector('[role="status"]');

for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', () => copy(button.closest('.command').querySelector('code')));
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

const filters = document.querySelector('[data-filters]');
if (filters) {
  filters.hidden = false;
  filters.addEventListener('input', filter);
  filters.addEventListener('submit', (event) => event.preventDefault());
  filter();
}

function filter() {
  const kinds = new Set(new FormData(filters).getAll('kind'));
  const words = filters.elements.text.value.toLowerCase().split(/\s+/);
  let shown = 0;
  for (const area of document.querySelectorAll('[data-area]')) {
    let inArea = 0;
    for (const row of area.querySelectorAll('[data-kind]')) {
      const text = row.textContent.toLowerCase();
      row.hidden = !kinds.has(row.dataset.kind) || !words.every((word) => text.includes(word));
      if (!row.hidden) inArea += 1;
    }
    area.hidden = inArea === 0;
    shown += inArea;
  }
  filters.querySelector('[data-count]').textContent = `${shown} shown`;
}

// A link to folded details unfolds them; in print all are unfolded.
addEventListener('hashchange', unfold);
unfold();
function unfold() {
  const target = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (target?.tagName === 'DETAILS') target.open = true;
}
addEventListener('beforeprint', () => {
  for (const details of document.querySelectorAll('details.broken')) details.open = true;
});
