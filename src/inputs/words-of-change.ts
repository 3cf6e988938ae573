import { words } from '../text/words.ts';

/** Verbs that mean a change, anywhere in a name; each also in the third person. */
export const VERBS_OF_CHANGE = words(
  'accept acquire activate add adjust admit adopt announce append approve archive assign attach authorize ban',
  'become borrow bookmark broadcast bump buy cancel capture checkin checkout claim close commit complete confirm consume',
  'create deactivate decrease decrement delete deliver deploy deposit destroy dial disable discard dismiss dispatch',
  'dispense donate drop duplicate edit eject email emit enable enqueue enroll erase escalate execute feed finish fix flush follow',
  'forget forward fulfill grant hire import increase increment ingest insert install invest invoice isolate join kick kill',
  'launch learn leave lend like login logout merge migrate mint modify mute mutate notify nuke overwrite pause pay persist',
  'pin postpone promote provision publish purchase purge push rate reboot recharge redeem refund register reindex reject',
  'release remember remove rename renew reopen repair repay replace reply reschedule reserve reset restart restock restore resume',
  'retry return revoke rollback rollout rotate rsvp save sell send settle shorten signin signout signup spawn spend',
  'star store submit subscribe swap sync take terminate tick toggle topup track transfer trigger truncate unblock',
  'unfollow uninstall unlike unlock unpin unpublish unsubscribe update upload upsert upvote downvote visit vote watch',
  'wipe wire withdraw write',
);

/** Verbs that end or take away something that exists, anywhere in a name. */
export const VERBS_OF_ENDING = words(
  'archive ban block cancel clear close deactivate delete destroy disable discard drop eject erase evict expire forget kick',
  'kill nuke prune purge refund remove reset revoke suspend sweep terminate truncate uninstall unpublish void wipe withdraw',
);

/** Of these, verbs that leave nothing of what they are about. */
export const VERBS_OF_REMOVAL = words(
  'clear delete destroy discard drop erase nuke prune purge remove sweep truncate wipe',
);

/** First words of functions that add something of the caller to what exists, and leave that as it was. */
export const VERBS_OF_TAKING_PART = words(
  'announce apply attend borrow broadcast buy checkin checkout deliver donate email enroll feed fill generate greet hire ingest invite',
  'join lend like login mail message notify play purchase rate recommend rent reply report request reserve review rsvp',
  'send sign ship subscribe text tip track tweet upvote visit vote',
);

/** Words that are nouns or verbs; the beginning of the description decides. */
export const NOUNS_OR_VERBS_OF_CHANGE = words(
  'alert backup bet bid block book brew call change charge clean clear clone comment connect copy credit debit display draw',
  'empty exec export extract file fire flip hit invite issue link load lock log mail mark message move name note open order',
  'page patch pay payment perform place play pop post print process put raise rank react record refresh report request',
  'resolve respond reverse review ring run say scale scan schedule set ship sign sms split start stop switch tag tell',
  'test tweet use verify',
);

/** Arithmetic if the inputs are numbers or the next word says so; otherwise a change. */
export const VERBS_OF_ARITHMETIC = words('add append increment decrement swap set replace push pop');

export const NOUNS_OF_ARITHMETIC = words(
  'complex days fraction fractions hours integers intersection lists matrices matrix minutes months number numbers',
  'seconds strings sum sums text two union up values vector vectors weeks years difference',
);

/** Words of functions that only read; each also in the third person. */
export const VERBS_OF_READING = words(
  'abbreviate analyse analyze autocomplete average browse capitalise capitalize calculate can check classify compare complement compute count convert current date',
  'decode define describe detect determine diff distance divide echo encode estimate evaluate examine explain explore fetch filter',
  'find forecast format generate geocode get greet guess has hash help info inspect is latest list locate look lookup lowercase',
  'match measure multiply normalise normalize now parse pluralize peek ping predict preview price query random read recent recommend render retrieve round search',
  'see show simulate size slugify solve spell subtract sort state stats status suggest sum summarise summarize time tokenize translate trim trending uppercase',
  'validate version view wait weather work',
);

/** Two words that together mean a change: "check out", "sign up". */
export const COMPOUNDS_OF_CHANGE = words(
  'checkin checkoff checkout clockin clockout getrid login logout optin optout rollback rollout signin signout signup topup turnoff turnon',
);

/** Words of change in other languages, in the forms that name or describe a function. */
export const FOREIGN_WORDS_OF_CHANGE = words(
  // German
  'abmelden abonnieren antworte antworten beantworten beantwortet aktualisiere aktualisieren aktualisiert anlege anlegen anmelden ausleihen ausleiht bearbeiten',
  'bearbeitet bestelle bestellen bestellt bezahle bezahlen bezahlt buche buchen bucht eintragen einlösen entferne',
  'entfernen entfernt erhöhen erhöht erstelle erstellen erstellt fügt hinzufügen hochladen kaufe kaufen kauft kündigen',
  'kündigt leert leiht lege legt lösche löschen löscht registrieren registriert reserviere reservieren reserviert',
  'schickt schreibe schreiben schreibt sende senden sendet setzt speichere speichern speichert sperren sperrt storniere',
  'stornieren storniert trägt überweise überweisen überweist verschicken verschickt versenden versendet veröffentlichen',
  'veröffentlicht verschieben verschiebt ändere ändern ändert zahlen zurücksetzen zurückgeben',
  // French
  'abonne achète acheter ajoute ajouter annule annuler commande commander crée créer efface effacer emprunte emprunter',
  'enregistre enregistrer envoie envoyer inscrire inscrit modifie modifier met paie payer publie publier rend rendre',
  'retire retirer réserve réserver supprime supprimer transfère transférer verse vide vider vote voter',
  // Spanish and Portuguese
  'actualiza actualizar adiciona adicionar agrega agregar alquila añade añadir apaga apagar atualiza atualizar borra',
  'borrar cancela cancelar compra comprar crea crear cria criar devuelve devolver elimina eliminar envía enviar envia',
  'excluir exclui guarda guardar inscribe insere inserir inserta insertar modifica modificar paga pagar presta prestar',
  'publica publicar registra registrar remove remover reserva reservar salva salvar transfere transferir transfiere vota',
  // Italian
  'acquista acquistare aggiorna aggiornare aggiunge aggiungere aggiungi annulla annullare cancella cancellare creare',
  'elimina eliminare invia inviare modificare prenota prenotare pubblica registra restituisce salvare trasferisce',
  // Dutch
  'aanmaken annuleer annuleren bestel bestellen betaal betalen boek boeken bewaar bewaart leen maakt opslaan plaats',
  'reserveer reserveren stuur stuurt sturen toevoegen verstuurt verwijder verwijderen verwijdert verzenden voegt wijzig',
  'wijzigen wijzigt zet',
  // Polish
  'anuluj dodaj dodaje kup płać rezerwuj rezerwuje tworzy usuń usuwa utwórz wyślij wysyła zapisuje zapisz zmień zmienia',
  // Russian and Ukrainian
  'бронирует видалити вставить добавить добавляет додати забронировать заказать записать записывает изменить изменяет',
  'купить надіслати обновить обновляет оплатить отменить отправить отправляет перевести переводит покупает создать',
  'создаёт создает сохранить сохраняет створити удалить удаляет',
  // Turkish
  'ekle ekler gönder gönderir güncelle günceller kaydet kaydeder oluştur oluşturur sil siler öde',
);

/** The same languages, for functions that only read. */
export const FOREIGN_WORDS_OF_READING = words(
  'alle anzeigen berechne berechnet berechnen finde finden findet gibt hole holen holt liefert lies liest liste listet nennt',
  'prüfe prüft rechnet sagt suche suchen sucht zeige zeigen zeigt zählt',
  'affiche afficher calcule calculer cherche chercher compte donne liste lister lit recherche rechercher renvoie',
  'buscar busca calcula calcular consulta consultar cuenta dice lista listar muestra mostrar obtener obtiene obtém',
  'calcola cerca cercare conta elenca elenco leggi mostra trova',
  'geeft lijst toon toont zoek zoekt berekent',
  'lista oblicza pokaż pokazuje szukaj wyszukuje zwraca',
  'возвращает искать найти находит показать показывает показує рассчитывает список считает',
  'ara bul getir göster hesaplar listele listeler',
);

/** Participles of actions, as in "is stored" or "are given away". */
export const PARTICIPLES_OF_CHANGE = words(
  'added assigned booked borrowed bought charged cleared closed counted created decreased deleted drawn given granted held',
  'increased incremented kept learned lent made marked moved paid posted published put recorded redeemed registered removed',
  'renamed replaced reserved reset saved sent set sold stored submitted subscribed taken transferred updated used voted',
  'withdrawn written',
);

/** Words in scripts without spaces, searched anywhere in a name and at the beginning of a description. */
export const UNSPACED_WORDS_OF_CHANGE: readonly string[] = [
  ...words(
    '创建 新建 添加 新增 增加 加入 删除 移除 修改 更新 保存 存储 发送 提交 上传 下单 支付 付款 转账 预订 预约 取消 注册 发布 写入 借阅 借书 归还 设置 清空 购买 投票',
    '創建 新建 刪除 儲存 發送 更新 預訂 訂購 付款 轉帳 註冊 發佈',
    '作成 追加 削除 更新 変更 保存 送信 登録 予約 投稿 注文 支払 購入 取消 キャンセル 設定 書き込 振込 送金 借り 返却 投票',
    '생성 추가 삭제 수정 업데이트 저장 전송 보내 예약 주문 결제 취소 등록 구매 송금 투표',
  ),
];
