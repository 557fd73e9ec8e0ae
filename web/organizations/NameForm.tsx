import { Form } from '../shared/forms/Form.tsx'
import { OutdatedNotice } from '../shared/forms/OutdatedNotice.tsx'
import { checkOrganizationName } from '../shared/forms/organization-checks.ts'
import { TextField } from '../shared/forms/TextField.tsx'
import { useStoredTexts } from '../shared/forms/use-stored-texts.ts'
import type { Overview } from './queries.ts'
import { updateOrganization } from './update-organization.ts'

export function NameForm({ organization }: { organization: Overview['organization'] }) {
  const { field, outdated, save } = useStoredTexts({ name: organization.name })
  return (
    <Form
      send={(value) => save(() => updateOrganization(organization, { name: value('name').trim() }))}
      doneNotice={() => 'Saved.'}
      submitLabel="Save the name"
      pendingLabel="Saving…"
    >
      {outdated.length > 0 && <OutdatedNotice about="The name" />}
      <TextField
        name="name"
        label="Name"
        autoComplete="organization"
        {...field('name')}
        check={checkOrganizationName}
      />
    </Form>
  )
}
