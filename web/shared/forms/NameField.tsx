import { REORDERED_TEXT, reordersText } from './reordered-text.ts'
import { TextField } from './TextField.tsx'

export function NameField({ defaultValue }: { defaultValue?: string | undefined }) {
  return <TextField name="name" label="Your name" autoComplete="name" check={checkName} defaultValue={defaultValue} />
}

function checkName(value: string): string | null {
  if (value.trim() === '') return 'Enter your name, as others should see it.'
  return reordersText(value) ? REORDERED_TEXT : null
}
