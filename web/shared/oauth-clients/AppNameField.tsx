import { TextField } from '../forms/TextField.tsx'

type AppNameFieldProps = { name: string; value?: string; onChange?: (text: string) => void }

export function AppNameField(field: AppNameFieldProps) {
  return (
    <TextField
      label="Name"
      hint="Users see it when they sign in to the app."
      content="code"
      autoComplete="off"
      {...field}
      check={(value) => (value.trim() === '' ? 'Enter the name of the app.' : null)}
    />
  )
}
