import { useId } from 'react'
import type { Sort } from '../routing/table-address.ts'
import type { Column } from './DataTable.tsx'

type SortFieldProps<Row> = {
  columns: Column<Row>[]
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}

/** Chooses the order of a table whose rows are shown as cards: cards have no column heads to click. */
export function SortField<Row>({ columns, sort, onSort }: SortFieldProps<Row>) {
  const id = useId()
  const orders = columns.filter(({ isSortable }) => isSortable).flatMap(ordersOf)
  if (sort === undefined || onSort === undefined || orders.length === 0) return null
  const current = orders.findIndex(({ by, direction }) => by === sort.by && direction === sort.direction)
  return (
    <div className="field sort-field">
      <label htmlFor={id}>Sort by</label>
      <select
        id={id}
        className="input"
        value={current}
        onChange={({ target }) => onSort(orders[target.selectedIndex]!)}
      >
        {orders.map(({ label }, at) => (
          <option key={label} value={at}>
            {label}
          </option>
        ))}
      </select>
    </div>
  )
}

function ordersOf<Row>({ key, label }: Column<Row>): (Sort & { label: string })[] {
  return [
    { by: key, direction: 'asc', label: `${label}, ascending` },
    { by: key, direction: 'desc', label: `${label}, descending` },
  ]
}
