import { Form } from '../shared/forms/Form.tsx'
import { checkOrganizationName } from '../shared/forms/organization-checks.ts'
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
