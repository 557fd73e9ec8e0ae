import { useState } from 'react'
import { useLocation } from 'wouter'
import { authentication } from '../shared/api/authentication.ts'
import { useCaller } from '../shared/api/caller.ts'
import { useMayCreateOrganizations } from '../shared/api/organization-creation.ts'
import { refreshPages } from '../shared/api/queries.ts'
import { FramePage } from '../shared/components/FramePage.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { checkOrganizationName } from '../shared/forms/organization-checks.ts'
import { TextField } from '../shared/forms/TextField.tsx'
import { useIsOnPage } from '../shared/routing/use-is-on-page.ts'
import { Controls } from './Controls.tsx'
import { IMPERSONATION } from './obstacles.ts'
import { SlugField, suggestSlug } from './SlugField.tsx'

/** A link below the field leads to the user's own organization, if it has the name. */
const SENTENCES = { ORGANIZATION_SLUG_ALREADY_TAKEN: 'This short name is taken.' }

export function NewOrganization() {
  const [, navigate] = useLocation()
  const isOnPage = useIsOnPage()
  const [suggested, setSuggested] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const slug = chosen ?? suggested

  /** The user may have typed another slug while the form was being sent. */
  async function goOn({ slug }: { slug: string }) {
    if (isOnPage()) navigate(`/organizations/${slug}`)
    await refreshPages()
  }

  return (
    <FramePage heading="Create an organization" lead="You become its first owner, and invite the others.">
      <div className="card">
        <Controls obstacle={useObstacle()}>
          <div onInput={({ target }) => isNamed(target, 'name') && setSuggested(suggestSlug(target.value))}>
            <Form
              send={(value) => authentication.organization.create({ name: value('name').trim(), slug })}
              onDone={goOn}
              submitLabel="Create organization"
              pendingLabel="Creating…"
              sentences={SENTENCES}
            >
              <TextField name="name" label="Name" autoComplete="organization" check={checkOrganizationName} />
              <SlugField value={slug} onChange={setChosen} />
            </Form>
          </div>
        </Controls>
      </div>
    </FramePage>
  )
}

/** Why the service would refuse the organization. */
function useObstacle(): string | undefined {
  const { user, session } = useCaller()
  const mayCreate = useMayCreateOrganizations()
  if (session.impersonatedBy) return IMPERSONATION
  if (!mayCreate) return 'Only the staff of this service create organizations. Ask them for one.'
  return user.emailVerified ? undefined : 'Verify your email address first: your account page sends you a link.'
}

function isNamed(target: EventTarget, name: string): target is HTMLInputElement {
  return target instanceof HTMLInputElement && target.name === name
}
