import { Table } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';
import classes from './object-table.module.css';

export interface Column<Item> {
  title: string;
  cell: (item: Item) => ReactNode;
}

interface Props<Item> {
  columns: readonly Column<Item>[];
  items: readonly Item[];
  keyOf: (item: Item) => string;
  /** The row that is open beside the table. */
  current?: string | undefined;
  /** Called when the last rows come into sight. */
  onEnd?: (() => void) | undefined;
}

const rowHeight = 41;
/** Below it every row is in the page, where the search of the browser finds it. */
const virtualFrom = 200;

/**
 * A list of objects. Of a long one only the rows in sight are in the page. `j` and `k` move between the links of its
 * rows.
 */
export function ObjectTable<Item>({ columns, items, keyOf, current, onEnd }: Props<Item>) {
  const body = useRef<HTMLTableSectionElement>(null);
  const isVirtual = items.length > virtualFrom;
  const virtualizer = useWindowVirtualizer({
    count: isVirtual ? items.length : 0,
    estimateSize: () => rowHeight,
    overscan: 20,
    scrollMargin: body.current?.offsetTop ?? 0,
  });
  const rows = virtualizer.getVirtualItems();
  const { first, last } = isVirtual
    ? { first: rows[0]?.index ?? 0, last: rows.at(-1)?.index ?? -1 }
    : { first: 0, last: items.length - 1 };
  const isAtEnd = last >= items.length - 10;
  useEffect(() => {
    if (isVirtual && isAtEnd) onEnd?.();
  }, [isVirtual, isAtEnd, onEnd, items.length]);
  const move = (by: 1 | -1) => {
    const links = [...(body.current?.querySelectorAll<HTMLElement>('tr :is(a, button)') ?? [])];
    const inRows = links.filter((link, i) => link.closest('tr') !== links[i - 1]?.closest('tr'));
    const at = inRows.findIndex((link) => link.closest('tr')?.contains(document.activeElement));
    inRows[at === -1 ? 0 : Math.min(Math.max(at + by, 0), inRows.length - 1)]?.focus();
  };
  useHotkeys([
    ['j', () => move(1)],
    ['k', () => move(-1)],
  ]);
  return (
    // Without a link in a row, only the focus of the region itself scrolls it by the keyboard.
    <Table.ScrollContainer minWidth={columns.length * 130} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
      <Table highlightOnHover aria-rowcount={isVirtual ? items.length + 1 : undefined}>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title }) => (
              <Table.Th key={title}>{title}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody ref={body}>
          {isVirtual && <Space rows={first} columns={columns.length} />}
          {items.slice(first, last + 1).map((item, i) => (
            <Table.Tr
              key={keyOf(item)}
              aria-rowindex={isVirtual ? first + i + 2 : undefined}
              aria-current={keyOf(item) === current || undefined}
              className={classes.row}
            >
              {columns.map(({ title, cell }) => (
                <Table.Td key={title}>{cell(item)}</Table.Td>
              ))}
            </Table.Tr>
          ))}
          {isVirtual && <Space rows={items.length - 1 - last} columns={columns.length} />}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

/** The room of rows that are not in the page. */
function Space({ rows, columns }: { rows: number; columns: number }) {
  if (rows <= 0) return undefined;
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} style={{ height: rows * rowHeight, padding: 0 }} />
    </tr>
  );
}
