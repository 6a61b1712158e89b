/** Of the first start's owner, until they say their own: with their first link, or by inviting themselves and passing the ownership on. */
export const ownerEmail = 'owner@watchpost.localhost'
