import { OrganizationList } from '../organizations/OrganizationList.tsx'
import { useCaller } from '../shared/api/caller.ts'
import { FramePage } from '../shared/components/FramePage.tsx'
import { Avatar } from './Avatar.tsx'
import { EditProfile } from './EditProfile.tsx'
import { UnverifiedEmail } from './UnverifiedEmail.tsx'

export function Account() {
  const { user } = useCaller()
  return (
    <FramePage heading="Your account">
      <section className="card profile" aria-label="You">
        <Avatar name={user.name} image={user.image} />
        <div>
          <p className="profile-name">{user.name}</p>
          <p>
            {user.email} <VerifiedBadge isVerified={user.emailVerified} />
          </p>
        </div>
      </section>
      {!user.emailVerified && <UnverifiedEmail email={user.email} />}
      <OrganizationList />
      <EditProfile user={user} />
    </FramePage>
  )
}

function VerifiedBadge({ isVerified }: { isVerified: boolean }) {
  return (
    <span className={`badge ${isVerified ? 'badge-good' : 'badge-open'}`}>
      {isVerified ? 'Verified' : 'Not verified'}
    </span>
  )
}
