import type { Schema } from './document.ts'

const MOMENT = '2026-11-21T09:30:00.000Z'

/** Example values by the name of the field. Other fields show "…". */
const BY_NAME: Record<string, unknown> = {
  email: 'hilda.hire@example.com',
  name: 'Hilda Hire',
  slug: 'example-works',
  userId: 'usr_01997d2f6a7b',
  organizationId: 'org_01997d2e01c4',
  invitationId: 'inv_01997d30b8e2',
  organizationName: 'Example Works',
  organizationSlug: 'example-works',
  ipAddress: '192.0.2.7',
  role: 'member',
  image: null,
  logo: null,
}

/** An example with the types of the schema. The texts are only readable: the schema may refuse "…". */
export function exampleOf(schema: Schema, name = ''): unknown {
  const { anyOf, items, properties, enum: values, const: only, format } = schema
  const [type] = [schema.type].flat()
  if (only !== undefined) return only
  if (values) return values[0]
  if (anyOf) return exampleOf(anyOf[0] ?? {}, name)
  if (properties) return exampleObject(properties)
  if (type === 'array') return items ? [exampleOf(items, name)] : []
  if (type === 'object') return {}
  if (type === 'boolean') return true
  if (type === 'null' || type === undefined) return null
  if (type === 'string') return exampleText(schema, format, name)
  return Math.max(1, schema.minimum ?? 1)
}

function exampleText({ type }: Schema, format: string | undefined, name: string): unknown {
  if (format === 'date-time') return MOMENT
  const known = BY_NAME[name]
  if (known === null) return [type].flat().includes('null') ? null : '…'
  return known ?? '…'
}

/** An object with a slug is an organization. */
function exampleObject(properties: Record<string, Schema>): Record<string, unknown> {
  const nameOf = (field: string) => (field === 'name' && 'slug' in properties ? 'organizationName' : field)
  return Object.fromEntries(
    Object.entries(properties).map(([field, inner]) => [field, exampleOf(inner, nameOf(field))]),
  )
}
