import { TextField } from './TextField.tsx'
import { TURNING_TEXT, turnsText } from './turns-text.ts'

export function NameField({ defaultValue }: { defaultValue?: string | undefined }) {
  return <TextField name="name" label="Your name" autoComplete="name" check={checkName} defaultValue={defaultValue} />
}

function checkName(value: string): string | null {
  if (value.trim() === '') return 'Enter your name, as others should see it.'
  return turnsText(value) ? TURNING_TEXT : null
}
