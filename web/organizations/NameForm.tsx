import { REORDERED_TEXT, reordersText } from '../shared/forms/reordered-text.ts'
import { TextField } from '../shared/forms/TextField.tsx'
import type { Overview } from './queries.ts'
import { SavedForm } from './SavedForm.tsx'
import { updateOrganization } from './update-organization.ts'

export function NameForm({ organization }: { organization: Overview['organization'] }) {
  return (
    <SavedForm
      send={(value) => updateOrganization(organization, { name: value('name').trim() })}
      submitLabel="Save the name"
    >
      <TextField
        name="name"
        label="Name"
        autoComplete="organization"
        defaultValue={organization.name}
        check={checkOrganizationName}
      />
    </SavedForm>
  )
}

export function checkOrganizationName(value: string): string | null {
  if (value.trim() === '') return 'Enter the name of the organization.'
  return reordersText(value) ? REORDERED_TEXT : null
}
