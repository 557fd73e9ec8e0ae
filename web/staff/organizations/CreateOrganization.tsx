import { useLocation } from 'wouter'
import { refreshPages } from '../../shared/api/queries.ts'
import { EmailField } from '../../shared/forms/EmailField.tsx'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { checkOrganizationName, checkSlug } from '../../shared/forms/organization-checks.ts'
import { TextField } from '../../shared/forms/TextField.tsx'
import { useIsOnPage } from '../../shared/routing/use-is-on-page.ts'
import { OffButton } from '../common/OffButton.tsx'
import { postStaffEndpoint } from '../common/staff-endpoints.ts'
import { useIsAdministrator } from '../common/use-is-administrator.ts'

const LABEL = 'Create an organization…'

/** Staff never become members: the owner gets an invitation. */
export function CreateOrganization() {
  const [, navigate] = useLocation()
  const isOnPage = useIsOnPage()
  if (!useIsAdministrator()) return <OffButton label={LABEL} reason="Only administrators create organizations here." />

  async function create(value: (name: string) => string) {
    const body = { name: value('name').trim(), slug: value('slug').trim(), ownerEmail: value('ownerEmail').trim() }
    const { organization } = await postStaffEndpoint<{ organization: { id: string } }>('create-organization', body)
    if (isOnPage()) navigate(`/staff/organizations/${organization.id}`)
    void refreshPages()
  }

  return (
    <div>
      <InlineConfirm
        label={LABEL}
        kind="main"
        question="Create an organization for another user? Its owner gets an invitation by email; you do not become a member."
        confirmLabel="Create and invite"
        pendingLabel="Creating…"
        fields={
          <>
            <TextField name="name" label="Name" autoComplete="off" check={checkOrganizationName} />
            <TextField
              name="slug"
              label="Short name in addresses"
              content="code"
              autoComplete="off"
              check={(value) => checkSlug(value.trim())}
            />
            <EmailField name="ownerEmail" label="Email address of the owner" autoComplete="off" />
          </>
        }
        action={create}
      />
    </div>
  )
}
