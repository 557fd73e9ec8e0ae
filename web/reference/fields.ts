import type { Schema } from './document.ts'

export type Field = {
  name: string
  type: string
  isRequired: boolean
  remark: string
  fields: Field[]
}

/** The fields of an object, of the objects in an array, or of all alternatives. */
export function fieldsOf(schema: Schema): Field[] {
  const { properties, required = [], items, anyOf = [] } = schema
  if (properties)
    return Object.entries(properties).map(([name, field]) => toField(name, field, required.includes(name)))
  if (items) return fieldsOf(items)
  return anyOf.flatMap(fieldsOf)
}

export function toField(name: string, schema: Schema, isRequired: boolean): Field {
  const remark = [lengthOf(schema), schema.description].filter(Boolean).join('; ')
  return { name, type: typeName(schema), isRequired, remark, fields: fieldsOf(schema) }
}

/** For example "string or null" or "array of object". */
export function typeName({ type, format, items, anyOf, enum: values, const: only }: Schema): string {
  if (anyOf) return [...new Set(anyOf.map(typeName))].join(' or ')
  if (values) return values.map((value) => JSON.stringify(value)).join(' or ')
  if (only !== undefined) return JSON.stringify(only)
  const names = [type ?? 'anything'].flat().map((name) => {
    if (name === 'array' && items) return `array of ${typeName(items)}`
    return name === 'string' && format ? format : name
  })
  return names.join(' or ')
}

function lengthOf({ minLength = 0, maxLength, minimum, maximum }: Schema): string | undefined {
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  if (maxLength === undefined) return undefined
  return minLength > 1 ? `${minLength} to ${maxLength} characters` : `at most ${maxLength} characters`
}
