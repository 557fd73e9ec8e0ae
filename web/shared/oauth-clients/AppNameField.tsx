import { TextField } from '../forms/TextField.tsx'

type AppNameFieldProps = { name: string; defaultValue?: string }

export function AppNameField({ name, defaultValue }: AppNameFieldProps) {
  return (
    <TextField
      name={name}
      label="Name"
      hint="Users see it when they sign in to the app."
      content="code"
      autoComplete="off"
      defaultValue={defaultValue}
      check={(value) => (value.trim() === '' ? 'Enter the name of the app.' : null)}
    />
  )
}
