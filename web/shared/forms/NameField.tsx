import { REORDERED_TEXT, reordersText } from './reordered-text.ts'
import { TextField } from './TextField.tsx'

type NameFieldProps = { value?: string; onChange?: (name: string) => void }

export function NameField(field: NameFieldProps) {
  return <TextField name="name" label="Your name" autoComplete="name" check={checkName} {...field} />
}

function checkName(value: string): string | null {
  if (value.trim() === '') return 'Enter your name, as others should see it.'
  return reordersText(value) ? REORDERED_TEXT : null
}
