import { AccountPage } from '../components/AccountPage.tsx'
import { Avatar } from '../components/Avatar.tsx'
import { EditProfile } from '../components/EditProfile.tsx'
import { OrganizationList } from '../components/OrganizationList.tsx'
import { UnconfirmedAddress } from '../components/UnconfirmedAddress.tsx'

export function Account() {
  return (
    <AccountPage heading="Your account">
      {({ user }) => (
        <>
          <section className="card profile" aria-label="You">
            <Avatar name={user.name} image={user.image} />
            <div>
              <p className="profile-name">{user.name}</p>
              <p>
                {user.email} <VerifiedBadge isVerified={user.emailVerified} />
              </p>
            </div>
          </section>
          {!user.emailVerified && <UnconfirmedAddress email={user.email} />}
          <OrganizationList />
          <EditProfile user={user} />
        </>
      )}
    </AccountPage>
  )
}

function VerifiedBadge({ isVerified }: { isVerified: boolean }) {
  return (
    <span className={`badge ${isVerified ? 'badge-good' : 'badge-open'}`}>
      {isVerified ? 'Confirmed' : 'Not confirmed'}
    </span>
  )
}
