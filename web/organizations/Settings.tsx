import { useQuery } from '@tanstack/react-query'
import { useLocation, useParams } from 'wouter'
import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import { CopyField } from '../shared/components/CopyField.tsx'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { FramePage } from '../shared/components/FramePage.tsx'
import { Skeleton } from '../shared/components/Skeleton.tsx'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'
import { organizationQuery, roleQuery } from './queries.ts'

export function Settings() {
  const { slug } = useParams<{ slug: string }>()
  const { data: organization, error, isPending, refetch } = useQuery(organizationQuery(slug))
  const { data: own } = useQuery(roleQuery(slug))
  return (
    <FramePage heading="Settings">
      {isPending && <Skeleton lines={4} />}
      {error && <FailureNotice error={error} retry={refetch} />}
      {organization && (
        <section className="card" aria-labelledby="addresses">
          <h2 id="addresses">For your programs</h2>
          <CopyField label="Id of the organization" value={organization.id} />
          <CopyField label="Short name in addresses" value={organization.slug} />
        </section>
      )}
      {organization && own?.role === 'owner' && <DeleteOrganization organization={organization} />}
    </FramePage>
  )
}

type DeleteOrganizationProps = { organization: { id: string; name: string; slug: string; members: unknown[] } }

function DeleteOrganization({ organization }: DeleteOrganizationProps) {
  const [, navigate] = useLocation()

  async function leave() {
    navigate('/account')
    await queryClient.invalidateQueries()
  }

  return (
    <section className="card" aria-labelledby="deletion">
      <h2 id="deletion">Delete the organization</h2>
      <InlineConfirm
        label="Delete…"
        about={organization.name}
        question={
          <>
            <strong>{organization.name}</strong> is deleted for good, with its memberships, invitations and API keys.
            The accounts of its members stay. We can’t restore it.
          </>
        }
        confirmLabel="Delete this organization"
        pendingLabel="Deleting…"
        typedName={organization.slug}
        action={() => authentication.organization.delete({ organizationId: organization.id })}
        onDone={leave}
      />
    </section>
  )
}
