import { Form } from '../shared/forms/Form.tsx'
import { REORDERED_TEXT, reordersText } from '../shared/forms/reordered-text.ts'
import { TextField } from '../shared/forms/TextField.tsx'
import type { Overview } from './queries.ts'
import { updateOrganization } from './update-organization.ts'

export function NameForm({ organization }: { organization: Overview['organization'] }) {
  return (
    <Form
      send={(value) => updateOrganization(organization, { name: value('name').trim() })}
      doneNotice={() => 'Saved.'}
      submitLabel="Save the name"
      pendingLabel="Saving…"
    >
      <TextField
        name="name"
        label="Name"
        autoComplete="organization"
        defaultValue={organization.name}
        check={checkOrganizationName}
      />
    </Form>
  )
}

export function checkOrganizationName(value: string): string | null {
  if (value.trim() === '') return 'Enter the name of the organization.'
  return reordersText(value) ? REORDERED_TEXT : null
}
