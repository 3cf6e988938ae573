// Sorts a table by the column whose heading is clicked: up, then down. Without this script the rows stay in their order.
for (const heading of document.querySelectorAll('[data-sort] th[scope="col"]')) {
  const button = document.createElement('button');
  button.append(...heading.childNodes);
  heading.append(button);
  button.addEventListener('click', () => {
    const table = heading.closest('table');
    const sign = heading.ariaSort === 'ascending' ? -1 : 1;
    for (const other of table.tHead.querySelectorAll('th')) other.ariaSort = null;
    heading.ariaSort = sign === 1 ? 'ascending' : 'descending';
    const textIn = ({ cells }) => {
      const cell = cells[heading.cellIndex];
      return cell.dataset.value ?? cell.textContent;
    };
    const rows = [...table.tBodies[0].rows].sort(
      (left, right) => sign * textIn(left).localeCompare(textIn(right), 'en', { numeric: true }),
    );
    table.tBodies[0].append(...rows);
  });
}
