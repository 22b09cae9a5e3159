/** Why a turn failed, in words for the user. Anything else that is thrown is a fault of the service itself. */
export class TurnFailure extends Error {}
