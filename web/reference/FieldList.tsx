import type { Field } from './fields.ts'

type FieldListProps = { fields: Field[]; isRequest?: boolean }

export function FieldList({ fields, isRequest = false }: FieldListProps) {
  return (
    <ul className="schema">
      {fields.map((field) => (
        <li key={field.name}>
          <code>{field.name}</code> <span className="soft">{typeText(field, isRequest)}</span>
          {field.remark && <p className="soft">{field.remark}</p>}
          {field.fields.length > 0 && <FieldList fields={field.fields} isRequest={isRequest} />}
        </li>
      ))}
    </ul>
  )
}

function typeText({ type, isRequired }: Field, isRequest: boolean): string {
  if (!isRequired) return `${type}, optional`
  return isRequest ? `${type}, required` : type
}
