import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { organizationsQuery } from '../shared/api/queries.ts'
import { FailureNotice } from '../shared/components/FailureNotice.tsx'
import { Loading } from '../shared/components/Loading.tsx'
import { Monogram } from '../shared/components/Monogram.tsx'
import { organizationRoleName } from '../shared/format/role-name.ts'

export function OrganizationList() {
  const { data: organizations, error, isPending, refetch } = useQuery(organizationsQuery)
  return (
    <section className="card" aria-labelledby="organizations">
      <h2 id="organizations">Organizations</h2>
      {isPending && <Loading />}
      {error && <FailureNotice error={error} retry={refetch} />}
      {organizations?.length === 0 && <p className="soft">You are in no organization. Invitations come by email.</p>}
      <ul className="rows">
        {organizations?.map((organization) => (
          <li key={organization.id} className="row">
            <Monogram name={organization.name} image={organization.logo} />
            <div className="row-text">
              <p>
                <Link href={`/organizations/${organization.slug}`}>{organization.name}</Link>
              </p>
              <p className="soft">
                {organizationRoleName(organization.role)}, {organization.slug}
              </p>
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}
