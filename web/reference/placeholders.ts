import type { Field } from './fields.ts'

/** The required fields, with values that the user replaces. */
export function placeholdersFor(fields: Field[]): Record<string, unknown> {
  return Object.fromEntries(
    fields.filter((field) => field.isRequired).map(({ name, type }) => [name, placeholder(type)]),
  )
}

function placeholder(type: string): unknown {
  if (type === 'boolean') return true
  if (type === 'number' || type === 'integer') return 1
  if (type === 'object') return {}
  return type.startsWith('array') ? [] : '…'
}
