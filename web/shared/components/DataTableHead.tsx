import type { Sort } from '../routing/table-address.ts'
import type { Column } from './DataTable.tsx'

type DataTableHeadProps<Row> = {
  columns: Column<Row>[]
  sort: Sort | undefined
  onSort: ((sort: Sort) => void) | undefined
}

/** A click on the sorted column reverses the order. */
export function DataTableHead<Row>({ columns, sort, onSort }: DataTableHeadProps<Row>) {
  return (
    <thead>
      <tr>
        {columns.map((column) => (
          <th key={column.key} scope="col" aria-sort={direction(column, sort)}>
            {column.isSortable && onSort ? (
              <button type="button" onClick={() => onSort(next(column, sort))}>
                {column.label}
              </button>
            ) : (
              column.label
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

function direction<Row>({ key }: Column<Row>, sort: Sort | undefined): 'ascending' | 'descending' | undefined {
  if (sort?.by !== key) return undefined
  return sort.direction === 'asc' ? 'ascending' : 'descending'
}

function next<Row>({ key }: Column<Row>, sort: Sort | undefined): Sort {
  return { by: key, direction: sort?.by === key && sort.direction === 'asc' ? 'desc' : 'asc' }
}
