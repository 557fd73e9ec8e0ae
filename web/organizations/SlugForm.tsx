import { useState } from 'react'
import { useLocation } from 'wouter'
import { refreshPages } from '../shared/api/queries.ts'
import { Notice } from '../shared/components/Notice.tsx'
import { Form } from '../shared/forms/Form.tsx'
import { useIsOnPage } from '../shared/routing/use-is-on-page.ts'
import type { Overview } from './queries.ts'
import { SlugField } from './SlugField.tsx'
import { updateOrganization } from './update-organization.ts'

/** Replaces the advice to load the page again: the former address may no longer work. */
const SENTENCES = { NO_RESPONSE: 'No response came. The address may have changed: press the button again.' }

/** Says what breaks before the address changes. */
export function SlugForm({ organization }: { organization: Overview['organization'] }) {
  const [, navigate] = useLocation()
  const isInOrganization = useIsOnPage(`/organizations/${organization.slug}`)
  const [slug, setSlug] = useState(organization.slug)
  const isChanged = slug !== organization.slug

  /** The user may type another slug while this slug is sent. */
  async function change(sent: string): Promise<string> {
    await updateOrganization(organization, { slug: sent })
    return sent
  }

  async function goToNewAddress(sent: string) {
    if (isInOrganization()) navigate(`/organizations/${sent}/settings`, { replace: true })
    await refreshPages()
  }

  return (
    <Form
      send={(value) => change(value('slug'))}
      onDone={goToNewAddress}
      kind={isChanged ? 'danger' : 'main'}
      submitLabel="Change the address"
      pendingLabel="Changing…"
      sentences={SENTENCES}
    >
      <SlugField value={slug} ownSlug={organization.slug} onChange={setSlug} />
      {isChanged && (
        <Notice kind="information">
          <p>
            <strong>This breaks:</strong> bookmarks and links to /organizations/{organization.slug}, programs that ask
            for tokens with org={organization.slug}, and services that compare <code>org_slug</code> in tokens. Members,
            invitations and API keys stay. Another organization can take the old address.
          </p>
          <p>Save your other changes on this page first: the page loads again at the new address.</p>
        </Notice>
      )}
    </Form>
  )
}
