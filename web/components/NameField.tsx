import { TextField } from './TextField.tsx'

export function NameField({ defaultValue }: { defaultValue?: string | undefined }) {
  return <TextField name="name" label="Your name" autoComplete="name" check={checkName} defaultValue={defaultValue} />
}

function checkName(value: string): string | null {
  return value.trim() === '' ? 'Enter your name, as others should see it.' : null
}
